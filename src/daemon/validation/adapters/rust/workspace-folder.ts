import type { ParserContext, ParserHints, ProjectProbe } from '../../adapter.js';
import { canonicalFolder } from '../../canonical-target.js';
import { foldersUpwards, inFolder } from '../package-folder.js';

const WORKSPACE_TABLE = /^\s*\[workspace[\].]/m;

/**
 * The folder that rustc's file names are relative to: the workspace's root, which is the
 * run's own folder except for a member of a workspace further up.
 */
export async function workspaceHint(cwd: string | null, probe: ProjectProbe): Promise<ParserHints> {
  const start = canonicalFolder(cwd);
  if (start === '.') return {};
  let nearest: string | null = null;
  for (const folder of foldersUpwards(start)) {
    const manifest = await probe.text(inFolder(folder, 'Cargo.toml'));
    if (manifest === null) continue;
    if (WORKSPACE_TABLE.test(manifest)) return { workspace: folder };
    nearest ??= folder;
  }
  return nearest === null ? {} : { workspace: nearest };
}

/** The context with file names relative to the workspace. */
export function inWorkspace(context: ParserContext): ParserContext {
  return { ...context, cwd: context.hints['workspace'] ?? context.cwd };
}
