import type { CompletableCommand, CompletableFlag, NextWord } from './completion-table.js';

/** The completion for zsh, with what each word is for; for a file `_wc` in a folder of `fpath`, or to be read by `source`. */
export function zshScript(table: readonly CompletableCommand[], next: ReadonlyMap<string, readonly NextWord[]>): string {
  return `#compdef wc webcodex
# Completion of wc (webcodex) for zsh, written by \`wc completion zsh\`.
_webcodex() {
  local command= word
  local -a offered
  integer at=2
  while (( at < CURRENT )); do
    word=$words[at]
    _webcodex_next "$command"
    (( \${offered[(I)$word:*]} )) || break
    command=\${command:+$command }$word
    (( at++ ))
  done
  _webcodex_next "$command"
  if (( at == CURRENT && $#offered )) && [[ $words[CURRENT] != -* ]]; then
    _describe -t commands command offered && [[ -n $command ]] && return
    [[ -n $command ]] || _files
    return
  fi
  words=(wc "\${(@)words[at,-1]}")
  (( CURRENT = CURRENT - at + 2 ))
  _webcodex_arguments "$command"
}
_webcodex_next() {
  offered=()
  case $1 in
${[...next].map(([before, words]) => `    ${quoted(before)}) offered=(${words.map(({ word, summary }) => quoted(`${word}:${summary}`)).join(' ')}) ;;`).join('\n')}
  esac
}
_webcodex_arguments() {
  case $1 in
${table.map((command) => `    ${quoted(command.name)}) _arguments ${argumentsOf(command)} ;;`).join('\n')}
    *) _files ;;
  esac
}
if [[ $funcstack[1] = _wc || $funcstack[1] = _webcodex ]]; then
  _webcodex "$@"
else
  compdef _webcodex wc webcodex
fi
`;
}

function argumentsOf({ flags, values }: CompletableCommand): string {
  const rest = values.length === 0 ? '*:file:_files' : `1:value:${listed(values)}`;
  return [...flags.flatMap(specs), quoted(rest)].join(' ');
}

function specs({ name, char, summary, values }: CompletableFlag): string[] {
  const said = summary.replaceAll(/[[\]\\:]/g, (sign) => `\\${sign}`);
  const action = values === null ? '' : `:value:${values.length === 0 ? '_files' : listed(values)}`;
  const long = quoted(`${name}${values === null ? '' : '='}[${said}]${action}`);
  return char === null ? [long] : [long, quoted(`${char}[${said}]${action}`)];
}

/** A choice of values, in which a colon would end the choice. */
function listed(values: readonly string[]): string {
  return `(${values.join(' ').replaceAll(':', '\\:')})`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
