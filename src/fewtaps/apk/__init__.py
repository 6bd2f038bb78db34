"""From an APK file to the value `fewtaps.model.app.App`."""
