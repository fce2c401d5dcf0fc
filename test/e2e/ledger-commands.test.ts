import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnchorReport, ImportReport, StatsReport, VerificationReport } from '../../src/protocol/ledger.js';
import { document, rawEvent, rawSession, sessionId } from '../daemon/ledger-document/document-fixture.js';
import { cliPlace, gitRepository, type CliPlace } from './cli.js';

let place: CliPlace;
let session: string;

beforeAll(() => {
  place = cliPlace();
  const begun = place.wc(['work-on-project', 'keep a ledger', '--json'], { cwd: gitRepository(place) });
  session = (JSON.parse(begun.out) as { output: { session_id: string } }).output.session_id;
  place.wc(['run-process', '--session', session, '--project', 'repo', '--', 'true']);
});
afterAll(() => {
  place.close();
});

/** A state folder of its own, whose daemon is gone when `use` is done. */
function elsewhere<Value>(use: (other: CliPlace) => Value): Value {
  const other = cliPlace();
  try {
    return use(other);
  } finally {
    other.close();
  }
}

const parsed = <Shape>(text: string): Shape => JSON.parse(text) as Shape;

describe('wc ledger export and import', () => {
  it('gives the same bytes on standard output, in a file, and after an import elsewhere', () => {
    const file = join(place.folder, 'ledger.json');
    const shown = place.wc(['ledger', 'export']);
    const written = place.wc(['ledger', 'export', file, '--with-chain', '--json']);
    expect([shown.code, written.code, shown.err]).toEqual([0, 0, '']);
    expect(readFileSync(file, 'utf8')).toBe(shown.out);
    expect(parsed(written.out)).toMatchObject({ file, chain_file: `${file}.chain`, sessions: 1, tombstones: 0, unreadable: [], bytes: Buffer.byteLength(shown.out) });
    for (const path of [file, `${file}.chain`]) expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(place.folder).filter((name) => name.endsWith('.part'))).toEqual([]);

    elsewhere((other) => {
      const imported = other.wc(['ledger', 'import', file, '--chain', `${file}.chain`, '--json']);
      expect([imported.code, imported.err]).toEqual([0, '']);
      expect(parsed<ImportReport>(imported.out)).toMatchObject({ sessions: 1, events: 3, chains_verified: 1, dropped: { total: 0 }, changed: { total: 0 } });
      expect(other.wc(['ledger', 'export']).out).toBe(shown.out);
      expect(other.wc(['ledger', 'verify']).code).toBe(0);

      const again = other.wc(['ledger', 'import', file]);
      expect(again.code).toBe(1);
      expect(again.err).toContain('the ledger is not empty (Sessions: 1, tombstones: 0)');
    });
  });

  it('takes a document out of a pipe, and says what it left out', () => {
    elsewhere((other) => {
      const text = document([rawSession({ events: [rawEvent(1)], events_observed: 1 }), rawSession({ session_id: sessionId(1), mode: 'inspect' })]);
      const imported = other.wc(['ledger', 'import', '-'], { input: text });
      expect([imported.code, imported.err]).toEqual([0, '']);
      expect(imported.out).toContain('1 Session, 1 event');
      expect(imported.out).toMatch(/1\s+dropped\s+malformed session row\s+mode/);
    });
  });

  it('[01-A16] restores nothing of a document of another version, keeps it aside, and says so in the status', () => {
    elsewhere((other) => {
      const text = JSON.stringify({ sessions: [rawSession()], version: 1 });
      const imported = other.wc(['ledger', 'import', '-'], { input: text });
      expect(imported.code).toBe(1);
      expect(imported.err).toMatch(/^wc: restore_failed: the document's version is not 2; nothing of the document was restored\. it is kept as .*ledger\.rejected-\d{8}T\d{9}Z\.json\.\n$/);
      const status = parsed<{ output: { sessions: Record<string, unknown> } }>(other.wc(['get-runtime-status', '--json']).out);
      expect(status.output.sessions).toMatchObject({ retained_sessions: 0, last_persist_error: "restore_failed: the document's version is not 2" });

      const kept = (): string[] => readdirSync(other.home).filter((name) => name.startsWith('ledger.rejected-'));
      expect(readFileSync(join(other.home, kept()[0] ?? ''), 'utf8')).toBe(text);
      expect(statSync(join(other.home, kept()[0] ?? '')).mode & 0o777).toBe(0o600);
      expect(readdirSync(other.home).filter((name) => name.startsWith('ledger.import-'))).toEqual([]);

      // The next write leaves it where it is, and only so many are kept.
      expect(other.wc(['ledger', 'import', '-'], { input: document([rawSession()]) }).code).toBe(0);
      expect(kept()).toHaveLength(1);
      const [oldest] = kept();
      other.wc(['daemon', 'stop']);
      rmSync(join(other.home, 'ledger.db'));
      for (let count = 0; count < 3; count += 1) other.wc(['ledger', 'import', '-'], { input: `{${count}` });
      expect(kept()).toHaveLength(3);
      expect(kept()).not.toContain(oldest);
    });
  });

  it('names an encoding that is no document, and keeps the whole of what it refused', () => {
    elsewhere((other) => {
      const packed = gzipSync(document([rawSession()]));
      const separated = Buffer.from(document([rawSession({ title: 'a\u001eb' })]).replace('\\u001e', '\u001e'));
      for (const [input, message] of [
        [Buffer.concat([packed, Buffer.of(0x1e)]), 'the document is compressed by gzip'],
        [Buffer.from(`\ufeff${document([])}`), 'the document begins with a byte order mark'],
        [separated, 'what follows the document after the byte 0x1E is no chain file'],
      ] as const) {
        const refused = other.wc(['ledger', 'import', '-'], { input });
        expect(refused.code).toBe(1);
        expect(refused.err).toContain(message);
        const kept = readdirSync(other.home).filter((name) => name.startsWith('ledger.rejected-')).sort();
        expect(readFileSync(join(other.home, kept.at(-1) ?? ''))).toEqual(input);
      }
    });
  });

  it('refuses a chain of another document, and restores nothing', () => {
    const file = join(place.folder, 'proven.json');
    place.wc(['ledger', 'export', file, '--with-chain']);
    const edited = join(place.folder, 'edited.json');
    writeFileSync(edited, readFileSync(file, 'utf8').replace('keep a ledger', 'edit a ledger'));
    elsewhere((other) => {
      const refused = other.wc(['ledger', 'import', edited, '--chain', `${file}.chain`]);
      expect(refused.code).toBe(1);
      expect(refused.err).toContain('the chain belongs to another document');
      expect(other.wc(['ledger', 'export']).out).toBe('{"version":2,"sessions":[]}\n');
    });
  });

  it('says what it cannot read or write, before anything happens', () => {
    const folder = join(place.folder, 'folder');
    mkdirSync(folder);
    for (const [args, message] of [
      [['import', join(folder, 'none')], 'can not be read (ENOENT)'],
      [['import', folder], 'is a folder'],
      [['export', folder], 'is a folder'],
      [['export', join(folder, 'none', 'x')], 'can not be written (ENOENT)'],
      [['export', '--with-chain'], 'standard output has no place beside it'],
    ] as const) {
      const ended = place.wc(['ledger', ...args]);
      expect([ended.code, ended.out]).toEqual([2, '']);
      expect(ended.err).toContain(message);
    }
  });

  it('leaves the file that was there when an export fails', () => {
    const full = spawnSync('/bin/sh', ['-c', 'test -w /dev/full']).status === 0;
    if (!full) return;
    const ended = place.wc(['ledger', 'export', '/dev/full']);
    expect([ended.code, ended.err]).toEqual([1, 'wc: /dev/full can not be written (ENOSPC).\n']);
  });
});

describe('wc session export', () => {
  it('writes one Session in the same format, by its id or its ref', () => {
    const whole = place.wc(['ledger', 'export']).out;
    expect(place.wc(['session', 'export', session]).out).toBe(whole);
    expect(place.wc(['session', 'export', '~s1']).out).toBe(whole);
    const file = join(place.folder, 'session.json');
    expect(place.wc(['session', 'export', '~s1', file]).out).toContain('1 Session written to');
    expect(readFileSync(file, 'utf8')).toBe(whole);
  });

  it('says when there is no such Session', () => {
    for (const name of ['~s99', 'wc_sess_AAAAAAAAAAAAAAAA', 'bad']) {
      const ended = place.wc(['session', 'export', name, join(place.folder, 'never.json')]);
      expect([ended.code, ended.out]).toEqual([1, '']);
      expect(ended.err).toContain('there is no such Session');
    }
    expect(existsSync(join(place.folder, 'never.json'))).toBe(false);
  });
});

describe('wc ledger verify, anchor and stats', () => {
  it('proves an anchor, and finds an event that was edited behind the back of the daemon', () => {
    const { line, sessions } = parsed<AnchorReport>(place.wc(['ledger', 'anchor', '--json']).out);
    expect(sessions).toBe(1);
    const sound = place.wc(['ledger', 'verify', '--anchor', line, '--json']);
    expect(sound.code).toBe(0);
    expect(parsed<VerificationReport>(sound.out)).toMatchObject({ sound: true, sessions_checked: 1, findings: [], anchor: { status: 'contained', proven: 1 } });
    expect(place.wc(['ledger', 'verify', '--anchor', line]).out).toMatch(/ledger +sound\nchecked +1 Session, \d+ events/);

    place.wc(['daemon', 'stop']);
    const database = new SqliteDatabase(join(place.home, 'ledger.db'));
    const edit = "UPDATE session_events SET body = replace(body, 'keep a ledger', 'lose a ledger') WHERE sequence = 0";
    expect(database.prepare(edit).run().changes).toBe(1);
    database.close();

    const found = place.wc(['ledger', 'verify', '--json']);
    expect(found.code).toBe(1);
    expect(parsed<VerificationReport>(found.out).findings[0]).toMatchObject({ kind: 'event_changed', session_id: session, sequence: 0 });
    const told = place.wc(['ledger', 'verify', '--anchor', line]);
    expect(told.code).toBe(1);
    expect(told.out).toContain('event changed');
    expect(told.out).toContain(session);
  });

  it('says that a line which is no anchor proves nothing', () => {
    const ended = elsewhere((other) => other.wc(['ledger', 'verify', '--anchor', 'wc-ledger-anchor:1:1:1:00']));
    expect(ended.code).toBe(1);
    expect(ended.out).toMatch(/ledger +not proven: its rows are sound, the anchor is not held/);
    expect(ended.out).toContain('it proves nothing');
  });

  it('counts what is there, and says what bounds it', () => {
    const stats = parsed<StatsReport>(place.wc(['ledger', 'stats', '--json']).out);
    expect(stats.rows).toMatchObject({ sessions: 1, session_tombstones: 0 });
    expect(stats.limits).toEqual({
      hot_session_capacity_target: 100,
      historical_session_retention_limit: 100,
      max_events_per_session: 2_000,
      max_messages_per_session: 200,
    });
    expect(stats.sizes.database_bytes).toBeGreaterThan(0);
    expect(place.wc(['ledger', 'stats']).out).toContain('max_events_per_session');
  });

  it('are for the owner alone', () => {
    const { token } = parsed<{ token: string }>(place.wc(['token', 'create', 'other', '--scope', 'admin', '--scope', 'account:manage', '--json']).out);
    const file = join(place.folder, 'empty.json');
    writeFileSync(file, document([]));
    chmodSync(file, 0o600);
    for (const args of [['export'], ['import', file], ['verify'], ['anchor'], ['stats']]) {
      const ended = place.wc(['ledger', ...args], { env: { WC_TOKEN: token } });
      expect([ended.code, ended.out]).toEqual([1, '']);
      expect(ended.err).toContain('only the owner of this daemon');
    }
  });
});
