"""In which settings of a phone an app shows an interest: by the intents that its code names and by its resources."""

from __future__ import annotations

import re
from pathlib import Path

from fewtaps.apk.archive import MEBIBYTE, open_archive
from fewtaps.errors import ApkError

DEX_LIMIT = 64 * MEBIBYTE
_DEX = re.compile(r"classes\d*\.dex")

_IN_CODE: dict[str, tuple[bytes, ...]] = {
    "browser": (b"http://", b"https://", b"android.intent.action.WEB_SEARCH"),
    "calendar": (b"vnd.android.cursor.item/event", b"content://com.android.calendar"),
    "camera": (b"android.media.action.IMAGE_CAPTURE", b"android.media.action.VIDEO_CAPTURE"),
    "clock": (b"android.intent.action.SET_ALARM", b"android.intent.action.SET_TIMER"),
    "contacts": (
        *(b"content://com.android.contacts", b"content://contacts", b"vnd.android.cursor.dir/contact"),
        *(b"vnd.android.cursor.dir/phone_v2", b"android.intent.action.INSERT_OR_EDIT"),
        b"android/provider/ContactsContract$",
    ),
    "keys": (b"com.android.keychain.CHOOSER", b"android/security/KeyChain;", b"android.credentials.INSTALL"),
    "music": (b"android.intent.action.MUSIC_PLAYER", b"android.intent.category.APP_MUSIC", b"MEDIA_PLAY_FROM_SEARCH"),
    "recorder": (b"android.provider.MediaStore.RECORD_SOUND",),
    "sms": (b"sms:", b"smsto:", b"mmsto:", b"vnd.android-dir/mms-sms", b"android.intent.category.APP_MESSAGING"),
    "speech": (b"android.speech.action.RECOGNIZE_SPEECH", b"android.speech.action.WEB_SEARCH"),
    "dialler": (b"android.intent.action.DIAL", b"android.intent.action.CALL", b"tel:"),
    "files": (
        *(b"android.intent.action.OPEN_DOCUMENT", b"android.intent.action.CREATE_DOCUMENT"),
        b"android.intent.action.GET_CONTENT",
    ),
    "gallery": (b"android.provider.action.PICK_IMAGES", b"android.intent.action.PICK", b"image/*"),
    "mail": (b"mailto:", b"message/rfc822", b"android.intent.action.SENDTO"),
    "maps": (b"geo:", b"google.navigation:"),
    "market": (b"market://",),
    "content": (b"content://com.android.contacts", b"content://media/", b"content://sms", b"content://call_log"),
    "permissions": (b"requestPermissions",),
    "date": (b"java/util/Calendar;", b"java/util/Date;", b"java/time/LocalDate;"),
    "storage": (b"openFileOutput", b"java/io/FileOutputStream;", b"android/database/sqlite/SQLiteOpenHelper;"),
    "accessibility": (b"onInitializeAccessibilityNodeInfo", b"onInitializeAccessibilityEvent"),
    "font_scale": (b"android/text/TextPaint;", b"measureText", b"scaledDensity"),
    "time_zone": (b"java/util/TimeZone;", b"java/time/ZoneId;"),
    "locale": (b"java/text/DecimalFormat;", b"java/text/SimpleDateFormat;", b"toLowerCase"),
}
"""By setting, texts of which code that depends on it has one."""

_IN_PATHS: dict[str, re.Pattern[str]] = {
    "theme": re.compile(r"^res/[^/]*-night[-/]"),
    "display": re.compile(r"^res/[^/]*-(sw[0-9]+dp|w[0-9]+dp|h[0-9]+dp|x?large|small)[-/]"),
    "locale": re.compile(r"^res/[^/]*-(ldrtl|ar|he|fa|de)[-/]"),
}
"""By setting, the paths of resources that are made for one of its values."""


def phone_uses(path: Path) -> frozenset[str]:
    """The names of the settings. None of the app's code runs; what cannot be read shows nothing.

    `UsageError` if there is no such file.
    """
    found: set[str] = set()
    try:
        with open_archive(path) as archive:
            found |= {name for name, pattern in _IN_PATHS.items() if any(map(pattern.match, archive.names))}
            for name in filter(_DEX.fullmatch, archive.names):
                code = archive.read(name, DEX_LIMIT)
                found |= {setting for setting, texts in _IN_CODE.items() if any(text in code for text in texts)}
    except ApkError:
        # The exploration works without: every setting then counts as one of no interest.
        pass
    return frozenset(found)
