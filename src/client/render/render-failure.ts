import type { Failure, JsonObject, SuggestedCall } from '../../protocol/tool-result.js';
import { printable } from './printable.js';
import { shellQuote } from './shell-quote.js';
import type { Style } from './style.js';

/** A tool's no, for people: its sentence, its kind, and the call that it suggests. */
export function renderFailure(result: Failure, style: Style): string {
  const kind = result.output['error_kind'];
  const lines = [`${style.bad('error')}: ${printable(result.error)}${typeof kind === 'string' ? style.dim(` (${kind})`) : ''}`];
  const hint = result.output['hint'];
  if (typeof hint === 'string') lines.push(`${style.dim('hint')}: ${printable(hint)}`);
  const suggested = result.output['suggested_call'] as (SuggestedCall & JsonObject) | undefined;
  if (suggested) lines.push(`${style.dim('try')}: wc ${suggested.tool.replaceAll('_', '-')} --input ${shellQuote(JSON.stringify(suggested.arguments))}`);
  return lines.join('\n');
}
