/** Output in an answer: text, and the very bytes where the text does not show them as they are. */
export interface CarriedOutput {
  readonly text: string;
  readonly base64?: string;
}

/** The bytes that a program wrote. */
export function outputBytes({ text, base64 }: CarriedOutput): Buffer {
  return base64 === undefined ? Buffer.from(text) : Buffer.from(base64, 'base64');
}
