import type { PROJECT_TEMPLATES } from '../../protocol/runner/project.js';

/** The files that a new project starts with, by relative path. */
export function templateFiles(
  template: (typeof PROJECT_TEMPLATES)[number],
  name: string,
): ReadonlyMap<string, string> {
  switch (template) {
    case 'empty':
      return new Map();
    case 'basic':
      return new Map([
        ['README.md', `# ${name}\n`],
        ['.gitignore', '.env\n*.log\nnode_modules/\ntarget/\n'],
      ]);
  }
}
