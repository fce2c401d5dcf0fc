import { fence } from './markdown.js';

const BEGIN = /<!-- transcript:begin [^>]*-->\n/;
const END = '<!-- transcript:end -->';

/** The page with `text` as its transcript. */
export function replaceTranscript(page: string, text: string): string {
  const { begin, end } = marks(page);
  return `${page.slice(0, begin)}\n${fence('console', text)}\n\n${page.slice(end)}`;
}

/** The command lines of a page's transcript, without their prompt. */
export function transcriptCommands(page: string): string[] {
  const { begin, end } = marks(page);
  return [...page.slice(begin, end).matchAll(/^\$ (.*)$/gm)].map((match) => match[1] ?? '');
}

function marks(page: string): { begin: number; end: number } {
  const begin = BEGIN.exec(page);
  const end = page.indexOf(END);
  if (begin === null || end < begin.index) throw new Error('the page has no marks for a transcript');
  return { begin: begin.index + begin[0].length, end };
}
