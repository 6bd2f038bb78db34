CREATE TABLE app (
    -- One build of an app.
    app_id INTEGER PRIMARY KEY,      -- its number here
    package TEXT NOT NULL,           -- its package, as in com.example.app
    version TEXT NOT NULL,           -- its version for people; empty if unknown
    digest TEXT NOT NULL,            -- SHA-256 of its file in hexadecimal digits; empty if it has no file
    content,                         -- all that its manifest and file say (JSON); NULL if only a trace names the app
    UNIQUE (package, version, digest)
);

CREATE TABLE run (
    -- One piece of work that fills the store, such as one exploration; it may be stopped and resumed.
    run_id INTEGER PRIMARY KEY,      -- its number here
    app_id INTEGER NOT NULL REFERENCES app,  -- the app it works on
    kind TEXT NOT NULL,              -- what work it is: 'explore'
    settings TEXT NOT NULL,          -- all settings it was begun with (JSON object)
    seed INTEGER,                    -- the seed among them, which decides every choice; NULL if there is none
    started TEXT NOT NULL,           -- when it began: date and time in UTC, ISO 8601
    ended TEXT,                      -- when it last came to an end; NULL while it runs, or if it was killed
    state TEXT NOT NULL,             -- 'running' (or killed), 'finished'
    end_kind TEXT,                   -- why it ended: 'events_used', 'time_up', …; NULL as long as it has not
    end_number REAL,                 -- the number that belongs to the reason, such as how many events; 0 if none does
    end_detail TEXT                  -- what else is known of the reason, free text; mostly empty
);

CREATE TABLE run_part (
    -- What one part of a run was given and used. Each time a run is resumed it gets a further part.
    run_id INTEGER NOT NULL REFERENCES run,  -- the run
    number INTEGER NOT NULL,         -- its place in the run, from 0
    seconds_given REAL,              -- the time it may take; NULL without a limit
    events_given INTEGER,            -- the events the run may have, earlier parts included; NULL without a limit
    seconds_used REAL,               -- the time that all stages of it took so far; NULL if it was not measured
    PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

CREATE TABLE episode (
    -- One trace of an exploration, from launch to its end. Episodes of a run are numbered without gaps, and each is
    -- written whole, in one transaction, or not at all.
    episode_id INTEGER PRIMARY KEY,  -- its number here
    run_id INTEGER NOT NULL REFERENCES run,  -- the run it belongs to
    number INTEGER NOT NULL,         -- its place in the run, from 0
    app_id INTEGER NOT NULL REFERENCES app,  -- the app its trace names
    world INTEGER NOT NULL,          -- the seed of all that the app does not control
    profile TEXT NOT NULL,           -- the name of the kind of phone
    screen TEXT,                     -- width, height and dpi of its screen (JSON list); NULL if unknown
    replayed INTEGER NOT NULL,       -- steps 1 to this one are the known way back; those after it are new
    reached INTEGER NOT NULL,        -- 1 if the way back led where it should, else 0
    end_kind TEXT NOT NULL,          -- why the episode ended: 'event_limit', 'crashed', 'device_failed', …
    end_detail TEXT NOT NULL,        -- what else is known of the reason, such as a device's error; mostly empty
    ending TEXT NOT NULL,            -- how the app was after the last step: 'running', 'left', 'crashed', 'anr', …
    events INTEGER NOT NULL,         -- how many steps it has, the launch included
    seconds REAL NOT NULL,           -- how long the run had been at work when the episode was stored, pauses left out
    UNIQUE (run_id, number)
);

CREATE TABLE step (
    -- One event and what was seen because of it. Events, screens and coverage repeat: each has its own table.
    episode_id INTEGER NOT NULL REFERENCES episode,  -- the episode
    number INTEGER NOT NULL,         -- its place in the episode, from 0, which is the launch
    event_id INTEGER NOT NULL REFERENCES event,  -- what was done
    before_id INTEGER REFERENCES screen,  -- the screen before; NULL if it is the one after the step before
    after_id INTEGER NOT NULL REFERENCES screen,  -- the screen after
    coverage_id INTEGER REFERENCES coverage,  -- the code this step was the first of its episode to reach; NULL if none
    log,                             -- the lines the app logged (JSON list); NULL if none
    notes,                           -- remarks of the device on the step (JSON list); NULL if none
    ending TEXT,                     -- how the app was afterwards: 'left', 'crashed', 'anr', …; NULL while it runs
    clock_ms INTEGER NOT NULL,       -- the app's own time since launch, in milliseconds
    ran_id INTEGER REFERENCES coverage,  -- all code that ran in this step; NULL if none, or if it was not recorded
    asked_world INTEGER,             -- 1 if the world's seed was used since launch, 0 if not; NULL if unknown
    PRIMARY KEY (episode_id, number)
) WITHOUT ROWID;

CREATE TABLE event (
    -- Something a user or the system did.
    event_id INTEGER PRIMARY KEY,    -- its number here
    digest BLOB NOT NULL UNIQUE,     -- BLAKE2b of the JSON text, 16 bytes
    content NOT NULL                 -- the event as in trace files (JSON object)
);

CREATE TABLE screen (
    -- All that was shown at one moment.
    screen_id INTEGER PRIMARY KEY,   -- its number here
    digest BLOB NOT NULL UNIQUE,     -- BLAKE2b of the JSON text, 16 bytes
    activity TEXT,                   -- the class of the activity shown; NULL if there was none
    page TEXT NOT NULL,              -- the id of its state: all but bounds, focus and the contents of text boxes
    content NOT NULL                 -- windows and widgets as in trace files (JSON object)
);

CREATE TABLE coverage (
    -- A set of code locations, by probe numbers; probe_map says what they mean.
    coverage_id INTEGER PRIMARY KEY, -- its number here
    digest BLOB NOT NULL UNIQUE,     -- BLAKE2b of the JSON text, 16 bytes
    content NOT NULL                 -- branches, lines and methods: numbers and pairs of first and last (JSON object)
);

CREATE TABLE crash (
    -- One way in which an app dies. Crashes with the same signature are one.
    crash_id INTEGER PRIMARY KEY,    -- its number here
    signature TEXT NOT NULL UNIQUE,  -- the exception and where in the app's own code
    fingerprint TEXT NOT NULL,       -- the signature as twelve hexadecimal digits
    suspect TEXT,                    -- why it may be the device's fault; NULL once it was seen without such a reason
    content NOT NULL                 -- the crash as it was first seen, with stacks (JSON object)
);
CREATE INDEX crash_by_fingerprint ON crash (fingerprint);

CREATE TABLE crash_sighting (
    -- One time that a crash was seen.
    episode_id INTEGER NOT NULL,     -- the episode
    number INTEGER NOT NULL,         -- the step
    crash_id INTEGER NOT NULL REFERENCES crash,  -- which crash it was
    length INTEGER NOT NULL,         -- events from launch to the crash, both included
    content,                         -- the crash as seen this time (JSON object); NULL if exactly as the first time
    PRIMARY KEY (episode_id, number),
    FOREIGN KEY (episode_id, number) REFERENCES step
) WITHOUT ROWID;
CREATE INDEX crash_sighting_by_crash ON crash_sighting (crash_id, length);

CREATE TABLE picture (
    -- The picture of a screen; the file is pictures/<sha256>.png, one for all pictures that are equal.
    episode_id INTEGER NOT NULL,     -- the episode
    number INTEGER NOT NULL,         -- the step after which it was taken
    screen_id INTEGER NOT NULL REFERENCES screen,  -- the screen it shows
    sha256 TEXT NOT NULL,            -- SHA-256 of the file in hexadecimal digits
    PRIMARY KEY (episode_id, number),
    FOREIGN KEY (episode_id, number) REFERENCES step
) WITHOUT ROWID;

CREATE TABLE execution (
    -- What JaCoCo recorded during an episode; kept where it reached code that no earlier one had.
    episode_id INTEGER PRIMARY KEY REFERENCES episode,  -- the episode
    content BLOB NOT NULL            -- a jacoco.exec file, compressed by zlib
);

CREATE TABLE probe_map (
    -- What the probe numbers of an app mean.
    app_id INTEGER NOT NULL REFERENCES app,  -- the app
    scope TEXT NOT NULL,             -- which code has probes: 'app', 'all'
    content NOT NULL,                -- classes with their methods, lines and branches (JSON object)
    PRIMARY KEY (app_id, scope)
) WITHOUT ROWID;

CREATE TABLE verdict (
    -- What one run of a candidate showed, so that it need not be run again.
    question TEXT NOT NULL,          -- what was asked: a digest of the app, the goal, the world and the way of playing
    candidate TEXT NOT NULL,         -- a digest of the candidate's events
    content TEXT NOT NULL,           -- met, length, end, crash, events (JSON list)
    PRIMARY KEY (question, candidate)
) WITHOUT ROWID;

CREATE TABLE reduction (
    -- The shortest trace found for a question, and what it cost; there before the reduction is finished.
    reduction_id INTEGER PRIMARY KEY,  -- its number here
    app_id INTEGER NOT NULL REFERENCES app,  -- the app
    question TEXT NOT NULL,          -- as in verdict
    original TEXT NOT NULL,          -- a digest of the events it began with
    goal_kind TEXT NOT NULL,         -- what the trace must still do: 'crash', 'activity', 'state', 'text', 'line', …
    goal_value TEXT NOT NULL,        -- the signature of the crash, the class of the activity, the id of the state, …
    aim TEXT NOT NULL,               -- how events were aimed: 'selector', 'coordinates'; 'selector' if unknown
    strategy TEXT NOT NULL,          -- how it was reduced
    repeated INTEGER NOT NULL,       -- 1 if each candidate was run repeatedly, in many worlds, else 0
    by_intent INTEGER NOT NULL,      -- 1 for an extra that begins in the middle of the app by an intent, else 0
    before INTEGER NOT NULL,         -- events after the launch, of the original
    after INTEGER NOT NULL,          -- events after the launch, of the shortest
    runs INTEGER NOT NULL,           -- how many runs it took
    events INTEGER NOT NULL,         -- how many events were played in them
    minimal INTEGER NOT NULL,        -- 1 if no single event can be left out, 0 if that is not known
    state TEXT NOT NULL,             -- 'running' (or killed), 'stopped' by a limit, 'finished'
    content BLOB NOT NULL,           -- the shortest trace as a trace file, compressed by zlib
    UNIQUE (question, original, strategy, repeated, by_intent)
);

CREATE TABLE improvement (
    -- How a reduction went: when its trace first had so few events.
    question TEXT NOT NULL,          -- as in reduction
    original TEXT NOT NULL,          -- as in reduction
    strategy TEXT NOT NULL,          -- as in reduction
    repeated INTEGER NOT NULL,       -- as in reduction
    by_intent INTEGER NOT NULL,      -- as in reduction
    size INTEGER NOT NULL,           -- events after the launch
    runs INTEGER NOT NULL,           -- how many runs had been made by then
    PRIMARY KEY (question, original, strategy, repeated, by_intent, size)
) WITHOUT ROWID;

CREATE TABLE replay (
    -- One play of a trace in one world, to see how often it shows a crash.
    crash TEXT NOT NULL,             -- the signature of the crash
    trace TEXT NOT NULL,             -- a digest of the events, as in reduction.original
    world INTEGER NOT NULL,          -- the world it was played in
    met INTEGER NOT NULL,            -- 1 if it showed the crash, else 0
    PRIMARY KEY (crash, trace, world)
) WITHOUT ROWID;

CREATE TABLE screen_picture (
    -- A picture for every screen with this content, taken when a trace was played for its pictures.
    digest BLOB PRIMARY KEY,         -- as in screen
    page TEXT NOT NULL,              -- as in screen
    sha256 TEXT NOT NULL             -- as in picture
) WITHOUT ROWID;

CREATE TABLE trial (
    -- One run of a candidate of a reduction by repeated runs. Rows are never deleted: later reductions use them.
    trial_id INTEGER PRIMARY KEY,    -- its number here, in the order in which they were made
    question TEXT NOT NULL,          -- a digest of the app, the goal, the phone and the way of aiming
    candidate TEXT NOT NULL,         -- as in verdict
    world INTEGER,                   -- the world it was played in; NULL if the device has none
    device TEXT NOT NULL,            -- the device it was played on
    best INTEGER,                    -- 1 if the best trace of that time meets the goal in that world, 0 if not, or NULL
    content NOT NULL                 -- as in verdict
);
CREATE INDEX trial_by_candidate ON trial (question, candidate);

CREATE TABLE prior (
    -- How often candidates do what they should, as learned from trials; the last one counts.
    prior_id INTEGER PRIMARY KEY,    -- its number here
    learned TEXT NOT NULL,           -- when: date and time in UTC, ISO 8601
    candidate_count INTEGER NOT NULL,  -- from how many candidates
    trial_count INTEGER NOT NULL,    -- and from how many runs of them
    content NOT NULL                 -- rates and their probabilities (JSON object)
);
