import { describe, expect, it } from 'vitest';
import { windowName } from '../../src/commands/framework/fill-selectors.js';
import { UsageError } from '../../src/commands/framework/usage-error.js';

describe('the name of a window', () => {
  it('is refused in the terminal where the daemon would take it for none', () => {
    expect(windowName(' demo-window-1 ')).toBe('demo-window-1');
    expect(windowName('x'.repeat(256))).toHaveLength(256);
    for (const name of [' ', 'a b', 'x'.repeat(257), 'fenêtre', 'a\nb']) expect(() => windowName(name)).toThrow(UsageError);
  });
});
