"""For all tests: what takes long on a busy machine is no failure."""

from hypothesis import settings

settings.register_profile("litemrc", deadline=None)
settings.load_profile("litemrc")
