"""Reading: feedback in every format a class comes in, and any table for those who need another one."""
