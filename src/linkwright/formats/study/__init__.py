"""Study files: everything that decides a run, so that it can be repeated exactly."""

from linkwright.formats.study.study_document import Study
from linkwright.formats.study.study_files import from_study_text, load_study, save_study, to_study_text

__all__ = ["Study", "from_study_text", "load_study", "save_study", "to_study_text"]
