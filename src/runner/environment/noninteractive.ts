/** What a child gets so that nothing ever waits for a person (spec 00, decision 29). */
export interface Noninteractive {
  readonly set: Readonly<Record<string, string>>;
  readonly unset: readonly string[];
}

/** @param failingProgram an absolute program that fails at once, e.g. `/bin/false` */
export function noninteractive(failingProgram: string): Noninteractive {
  return {
    set: {
      GIT_TERMINAL_PROMPT: '0',
      GIT_EDITOR: failingProgram,
      EDITOR: failingProgram,
      VISUAL: failingProgram,
      SSH_ASKPASS_REQUIRE: 'never',
    },
    unset: ['GIT_ASKPASS', 'SSH_ASKPASS', 'SUDO_ASKPASS'],
  };
}
