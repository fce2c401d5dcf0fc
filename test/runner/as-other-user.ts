/** Runs `work` with the rights of nobody when we are root, who passes every check. */
export async function asOtherUser(work: () => Promise<void>): Promise<void> {
  const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0];
  if (uid !== 0) return work();
  process.setegid?.(65_534);
  process.seteuid?.(65_534);
  try {
    await work();
  } finally {
    process.seteuid?.(uid);
    process.setegid?.(gid);
  }
}
