import { describe, expect, it } from 'vitest';
import { commandPreview } from '../../src/protocol/command-preview.js';

describe('the preview of a command', () => {
  it.each([
    ['npm test\nrm -rf dist', 'npm test'],
    ['\n  make all', 'make all'],
    ['curl -H "Authorization: Bearer abc.def-123" https://x', 'curl -H "Authorization: [redacted]" https://x'],
    ['API_KEY=sk-12345 run', 'API_KEY=[redacted] run'],
    ['deploy --token abc --verbose', 'deploy --token [redacted] --verbose'],
    ['deploy --password="two words" now', 'deploy --password=[redacted] now'],
    ['git clone https://ann:hunter2@example.com/x.git', 'git clone https://ann:[redacted]@example.com/x.git'],
    ['echo ghp_abcdefghij0123456789', 'echo [redacted]'],
    ['node scripts/token-report.mjs --all', 'node scripts/token-report.mjs --all'],
    ['grep -rn "token" src', 'grep -rn "token" src'],
  ])('%s', (command, preview) => {
    expect(commandPreview(command)).toBe(preview);
  });

  it('has at most 120 characters, and never half of one', () => {
    const preview = commandPreview('😀'.repeat(200));
    expect([...preview]).toHaveLength(120);
    expect(preview.endsWith('😀…')).toBe(true);
  });
});
