/** The records of what git prints with `-z`, as bytes: names need not be UTF-8. A last one without its NUL was cut and is dropped. */
export function nulRecords(output: Uint8Array): Buffer[] {
  const bytes = Buffer.from(output.buffer, output.byteOffset, output.byteLength);
  const records: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0, start);
    if (end === -1) break;
    records.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return records;
}

/** A path of git as text; bytes that are no UTF-8 show as U+FFFD and are marked. */
export function pathText(bytes: Buffer): { readonly path: string; readonly path_is_lossy?: true } {
  const path = bytes.toString('utf8');
  return Buffer.from(path).equals(bytes) ? { path } : { path, path_is_lossy: true };
}
