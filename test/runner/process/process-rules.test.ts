import { describe, expect, it } from 'vitest';
import { classifyEnd } from '../../../src/runner/process/classify-end.js';
import { parseListeners } from '../../../src/runner/process/listening-sockets.js';
import { findProcess, parseProcStat, parsePsListing } from '../../../src/runner/process/process-table.js';
import { ProcessTree } from '../../../src/runner/process/process-tree.js';
import { spawnRefusal } from '../../../src/runner/process/spawn-failure.js';

describe('what an end means', () => {
  const exited = (code: number) => ({ code, signal: null });
  it.each([
    ['exit 0', { exit: exited(0), cause: null, accounted: true }, { state: 'completed', status: 'completed', failureKind: null, exitCode: 0 }],
    ['exit 2', { exit: exited(2), cause: null, accounted: true }, { state: 'completed', status: 'failed', failureKind: 'command_exit_nonzero', exitCode: 2 }],
    ['signal', { exit: { code: null, signal: 'SIGABRT' as const }, cause: null, accounted: true }, { state: 'completed', status: 'failed', exitCode: -1, signal: 'SIGABRT' }],
    ['time-out that the program took for a normal end', { exit: exited(0), cause: 'timeout' as const, accounted: true }, { state: 'timed_out', status: 'timed_out', failureKind: 'timeout', exitCode: 0 }],
    ['stop', { exit: exited(1), cause: 'stopped' as const, accounted: true }, { state: 'cancelled', status: 'stopped', failureKind: 'cancelled' }],
    ['output lost', { exit: exited(0), cause: null, accounted: false }, { state: 'outcome_unknown', status: 'lost', failureKind: 'outcome_unknown', toolFailure: true }],
    ['end never seen', { exit: null, cause: 'timeout' as const, accounted: true }, { state: 'outcome_unknown', status: 'lost', exitCode: null }],
  ])('%s', (_name, end, expected) => {
    expect(classifyEnd(end)).toMatchObject(expected);
  });
});

describe('the process table', () => {
  it('reads names with blanks and parentheses', () => {
    const fields = ['S', '1', '77', '66', ...Array.from({ length: 15 }, () => '0'), '123456', '0'];
    expect(parseProcStat(`42 (a ) b (c) ${fields.join(' ')}`)).toEqual({ pid: 42, group: 77, session: 66, zombie: false, startTime: '123456' });
    expect(parseProcStat('garbage')).toBeNull();
  });

  it('reads what ps prints', () => {
    const listing = '    1     1 Ss   Mon Nov 30 10:00:00 2026\n  200   100 Z+   Mon Nov 30 11:00:00 2026\n';
    expect(parsePsListing(listing)).toEqual([
      { pid: 1, group: 1, session: null, zombie: false, startTime: 'Mon Nov 30 10:00:00 2026' },
      { pid: 200, group: 100, session: null, zombie: true, startTime: 'Mon Nov 30 11:00:00 2026' },
    ]);
  });

  it('finds this process by either way', async () => {
    expect(await findProcess(process.pid)).toMatchObject({ pid: process.pid, zombie: false });
    expect(await findProcess(process.pid, 'darwin')).toMatchObject({ pid: process.pid });
    expect(await findProcess(2 ** 22 + 1)).toBeNull();
  });
});

describe('a tree', () => {
  it('that is confirmed gone is never looked for again', async () => {
    let looks = 0;
    const tree = new ProcessTree(2 ** 22 + 1, () => {
      looks += 1;
      return Promise.resolve([]);
    });
    expect(await tree.end(50)).toEqual({ members: [], survivors: [] });
    expect(await tree.end(50)).toEqual({ members: [], survivors: [] });
    expect(looks).toBe(1);
    expect(tree.groupExists).toBe(false);
  });
});

describe('a failed start', () => {
  it('says what to look at', () => {
    const failed = (code: string, executable: string): string => spawnRefusal({ code, executable, searchedPath: '/bin' }).refused.message;
    expect(failed('ENOENT', 'cargo')).toContain('not found on the PATH');
    expect(failed('ENOENT', './run')).toContain('interpreter');
    expect(failed('E2BIG', 'x')).toContain('too large');
    expect(failed('EAGAIN', 'x')).toContain('no room');
    expect(failed('EWHAT', 'x')).toContain('EWHAT');
  });
});

describe('a socket that listens', () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 101 1 0 100 0 0 10 0',
    '   1: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 102 1 0 100 0 0 10 0',
    '   2: 0A00000A:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 103 1 0 100 0 0 10 0',
    '   3: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 104 1 0 100 0 0 10 0',
    '   4: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000     0        0 105 1 0 100 0 0 10 0',
    '   5: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 106 1 0',
    '   6: 0000000000000000FFFF00000100007F:1F90 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 107 1 0',
    'nonsense',
  ].join('\n');

  it('is found on every address of the loopback device, and on no other one, port or state', () => {
    expect(parseListeners(table, 8_080)).toEqual(['socket:[101]', 'socket:[102]', 'socket:[106]', 'socket:[107]']);
    expect(parseListeners('', 8_080)).toEqual([]);
  });
});
