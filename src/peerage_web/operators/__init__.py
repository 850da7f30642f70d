"""The page of those who run the instance: is everything well, is there room, does mail leave?"""
