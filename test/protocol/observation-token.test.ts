import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeObservationToken, encodeObservationToken } from '../../src/protocol/observation-token.js';

const hex = fc.stringMatching(/^[0-9a-f]{8}$/);
const number = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const observation = fc.record({
  jobId: fc.stringMatching(/^[A-Za-z0-9_-]{1,80}$/),
  epoch: hex,
  cursor: fc.record({ instance: hex, update_seq: fc.nat(), next_stdout_line: number, next_stderr_line: number }),
});

describe('observation tokens', () => {
  it('come back as they were, and our own ids fit into 192 bytes', () => {
    fc.assert(
      fc.property(observation, (value) => {
        const token = encodeObservationToken(value);
        expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
        if (token.length <= 192) expect(decodeObservationToken(token)).toEqual(value);
        if (value.jobId.length <= 40) expect(token.length).toBeLessThanOrEqual(192);
      }),
    );
  });

  it('have one form only: whatever else is no token', () => {
    const token = encodeObservationToken({ jobId: 'wc_job_1', epoch: '01234567', cursor: { instance: '89abcdef', update_seq: 3, next_stdout_line: 1, next_stderr_line: 2 } });
    for (const other of [`${token}=`, `${token} `, ` ${token}`, token.slice(1), '', 'x'.repeat(193), Buffer.from('1~a~01234567~89abcdef~03~1~1').toString('base64url')]) {
      expect(decodeObservationToken(other)).toBeNull();
    }
    fc.assert(fc.property(fc.string(), (text) => decodeObservationToken(text) === null));
  });

  it('name a Job as ids are written: no path, nothing that could leave one', () => {
    const forged = (jobId: string): string => Buffer.from(`1~${jobId}~01234567~89abcdef~1~1~1`).toString('base64url');
    expect(decodeObservationToken(forged('a..b'))).toBeNull();
    expect(decodeObservationToken(forged('../x'))).toBeNull();
    expect(decodeObservationToken(forged('a.b'))).not.toBeNull();
  });
});
