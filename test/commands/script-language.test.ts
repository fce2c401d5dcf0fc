import { expect, it } from 'vitest';
import { scriptLanguage } from '../../src/commands/framework/script-language.js';

it.each([
  ['a.sh', '', 'sh'],
  ['a.bash', '', 'bash'],
  ['dir.d/a.py', '', 'python'],
  ['a.js', '', 'javascript'],
  ['a.mjs', '', 'javascript'],
  ['A.TS', '', 'typescript'],
  ['a.mts', '', 'typescript'],
  ['a.sh', '#!/bin/bash\n', 'bash'],
  ['a.sh', '#!/usr/bin/env bash\n', 'bash'],
  ['a.sh', '#! /bin/dash -e\n', 'sh'],
  ['a.sh', '#!/usr/bin/env zsh\n', 'sh'],
  ['a.ts', '#!/usr/bin/env node\n', 'typescript'],
  ['tool', '#!/usr/bin/env python3\nprint(1)', 'python'],
  ['tool', '#!/usr/bin/python3.11 -u\n', 'python'],
  ['tool', '#!/usr/bin/env -S node --no-warnings\n', 'javascript'],
  ['tool', '#!/usr/bin/env -S A=b node\n', 'javascript'],
  ['-', '#!/bin/sh\n', 'sh'],
  ['tool', '#!/usr/bin/env deno\n', null],
  ['tool', 'echo no first line', null],
  ['tool', '#!\n', null],
  ['a.cjs', '', null],
  ['constructor', '#!/bin/constructor', null],
  ['-', '', null],
] as const)('%s with %j is %s', (file, text, language) => {
  expect(scriptLanguage(file, text)).toBe(language);
});
