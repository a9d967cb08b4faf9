"""Rao, Saha and Rao (2006): hexaslides by the DeNOC in terms of the platform."""
