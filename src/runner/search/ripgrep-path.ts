/** Where the ripgrep of our own packages is; null when there is none for this platform. */
export async function ripgrepPath(): Promise<string | null> {
  try {
    return (await import('@vscode/ripgrep')).rgPath;
  } catch {
    return null;
  }
}
