import type { CompletableCommand, NextWord } from './completion-table.js';

/** The completion for fish, with what each word is for. */
export function fishScript(table: readonly CompletableCommand[], next: ReadonlyMap<string, readonly NextWord[]>): string {
  const lines = [
    ...[...next].flatMap(([before, words]) => words.map(({ word, summary }) => `_webcodex_offer ${quoted(before)} -a ${quoted(word)} -d ${quoted(summary)}`)),
    ...table.flatMap(({ name, flags, values }) => [
      ...(values.length === 0 ? [] : [`_webcodex_offer ${quoted(name)} -a ${quoted(values.join(' '))}`]),
      ...flags.map((flag) => {
        const short = flag.char === null ? '' : ` -s ${flag.char.slice(1)}`;
        const value = flag.values === null ? '' : flag.values.length === 0 ? ' -r' : ` -x -a ${quoted(flag.values.join(' '))}`;
        return `_webcodex_flag ${quoted(name)} -l ${flag.name.slice(2)}${short}${value} -d ${quoted(flag.summary)}`;
      }),
    ]),
  ];
  return `# Completion of wc (webcodex) for fish, written by \`wc completion fish\`.
function _webcodex_words
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        string match -q -- '-*' $word; and break
        echo $word
    end
end
function _webcodex_is
    test (string join ' ' (_webcodex_words)) = "$argv[1]"
end
function _webcodex_within
    set -l typed (string join ' ' (_webcodex_words))
    test "$typed" = "$argv[1]"; or string match -q -- "$argv[1] *" "$typed"
end
function _webcodex_offer
    for name in wc webcodex
        complete -c $name -n "_webcodex_is '$argv[1]'" $argv[2..-1]
    end
end
function _webcodex_flag
    for name in wc webcodex
        complete -c $name -n "_webcodex_within '$argv[1]'" $argv[2..-1]
    end
end
${lines.join('\n')}
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
