"""One program whose memory chips sleep (Zhou et al. 2004, section 5)."""
