"""Wang, Gosselin and Cheng (2001): virtual springs and flexible links."""
