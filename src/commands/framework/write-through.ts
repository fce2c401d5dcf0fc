/** Writes bytes as they are, and resolves when the stream takes more. What is for a closed stream is dropped. */
export function writeThrough(stream: NodeJS.WriteStream, bytes: Buffer): Promise<void> {
  if (bytes.length === 0 || stream.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    // The callback also comes with the error of a closed pipe, which `onBrokenPipe` answers.
    if (stream.write(bytes, () => resolve())) resolve();
  });
}

/** Calls `then` instead of ending the process when the reader of standard output is gone. */
export function onBrokenPipe(then: () => void): void {
  process.stdout.removeAllListeners('error');
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    then();
  });
}
