"""Reference motions and effort laws, written for any scalar so that they are traced into the equations of motion."""
