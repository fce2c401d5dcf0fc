import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stateFolder } from '../../src/protocol/state-folder.js';

it('names the state folder by its absolute path, whatever WC_HOME says', () => {
  const of = (WC_HOME: string | undefined) => stateFolder({ env: { WC_HOME }, platform: 'linux', home: '/home/u' });
  expect([of('state'), of('/s/'), of(undefined)]).toEqual([join(process.cwd(), 'state'), '/s', '/home/u/.local/state/webcodex']);
});
