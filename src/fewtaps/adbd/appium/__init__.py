"""Answers in the place of Appium's UiAutomator2 server."""
