import { z } from 'zod';

const names = z.record(z.string(), z.unknown()).optional().catch(undefined);

const manifestSchema = z.object({
  scripts: names,
  dependencies: names,
  devDependencies: names,
  optionalDependencies: names,
});

/** What validation reads of a `package.json`. */
export interface PackageManifest {
  readonly testScript: string | null;
  readonly lintScript: string | null;
  /** Names of packages that it depends on in any way. */
  readonly declared: ReadonlySet<string>;
}

/** Reads a `package.json`; null when it is no JSON object. Members of a wrong type count as absent. */
export function parseManifest(text: string): PackageManifest | null {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return null;
  }
  const manifest = manifestSchema.safeParse(json).data;
  if (manifest === undefined) return null;
  const { scripts = {}, dependencies, devDependencies, optionalDependencies } = manifest;
  return {
    testScript: script(scripts['test']),
    lintScript: script(scripts['lint']),
    declared: new Set([dependencies, devDependencies, optionalDependencies].flatMap((some) => Object.keys(some ?? {}))),
  };
}

function script(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
