import type { ValidationAdapter } from '../adapter.js';
import { goAdapter } from './go/index.js';
import { nodeAdapter } from './node/index.js';
import { pythonAdapter } from './python/index.js';
import { rustAdapter } from './rust/index.js';

/** Every toolchain that is known, in the order in which `auto` names candidates. */
export const ADAPTERS: readonly ValidationAdapter[] = [rustAdapter, goAdapter, pythonAdapter, nodeAdapter];
