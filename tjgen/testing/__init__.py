"""The pytest fixture for the tests of users."""
