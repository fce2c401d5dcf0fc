/** Writes bytes as they are, and resolves when the stream takes more. What is for a closed stream is dropped. */
export function writeThrough(stream: NodeJS.WriteStream, bytes: Buffer): Promise<void> {
  if (bytes.length === 0 || stream.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    // The callback also comes with the error of a closed pipe, which `onLostOutput` answers.
    if (stream.write(bytes, () => resolve())) resolve();
  });
}
