/** One series of a family, with its value now. */
export interface Sample {
  /** Added to the family's name: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What is measured under one name. */
export interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** One line for a person. */
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** The media type of the text. */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Families in Prometheus's text format 0.0.4; one without a sample is left out. */
export function exposition(families: readonly Family[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, type, help, samples }) =>
      [`# HELP ${name} ${escapedHelp(help)}`, `# TYPE ${name} ${type}`, ...samples.map((sample) => line(name, sample)), ''].join('\n'),
    )
    .join('');
}

function line(name: string, { suffix = '', labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapedLabel(text)}"`);
  return `${name}${suffix}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${numberText(value)}`;
}

function escapedHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapedLabel(text: string): string {
  return escapedHelp(text).replaceAll('"', '\\"');
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return String(value);
}
