import type { CompletableCommand, NextWord } from './completion-table.js';

/**
 * The completion for bash 3.2 and later: the words of commands, their flags, and values where
 * they are few; files everywhere else, since `wc` is the system's word counter as well.
 */
export function bashScript(table: readonly CompletableCommand[], next: ReadonlyMap<string, readonly NextWord[]>): string {
  return `# Completion of wc (webcodex) for bash, written by \`wc completion bash\`.
_webcodex() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev= path= word words flags= values= at
  [ "$COMP_CWORD" -gt 0 ] && prev=\${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    [ "$word" = -- ] && return
    case $word in -*) break ;; esac
    _webcodex_next "$path"
    case " $words " in
      *" $word "*) path=\${path:+$path }$word ;;
      *) break ;;
    esac
  done
  _webcodex_next "$path"
  [ -n "$words" ] || _webcodex_argument "$path"
  _webcodex_flags "$path"
  # A value behind its flag, also where bash takes the \`=\` between them for a word.
  [ "$prev" = = ] && prev=\${COMP_WORDS[COMP_CWORD-2]}
  [ "$cur" = = ] && cur=
  _webcodex_values "$path" "$prev"
  if [ -n "$values" ]; then
    COMPREPLY=($(compgen -W "$values" -- "$cur"))
    return
  fi
  case " $flags " in *" $prev= "*) return ;; esac
  case $cur in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$cur")); case \${COMPREPLY[0]} in *=) compopt -o nospace 2>/dev/null ;; esac ;;
    *) [ "$at" -eq "$COMP_CWORD" ] && COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
  esac
}
_webcodex_next() {
  case $1 in
${[...next].map(([before, words]) => `    ${quoted(before)}) words=${quoted(words.map(({ word }) => word).join(' '))} ;;`).join('\n')}
    *) words= ;;
  esac
}
_webcodex_argument() {
  case $1 in
${rows(table, ({ values }) => values.join(' '), 'words')}
  esac
}
_webcodex_flags() {
  case $1 in
${rows(table, ({ flags }) => flags.map(({ name, values }) => (values === null ? name : `${name}=`)).concat('--help').join(' '), 'flags')}
    *) flags='--help --version' ;;
  esac
}
_webcodex_values() {
  case "$1 $2" in
${table
  .flatMap(({ name, flags }) =>
    flags.flatMap((flag) => ((flag.values ?? []).length === 0 ? [] : [`    ${patterns(name, flag)}) values=${quoted((flag.values ?? []).join(' '))} ;;`])),
  )
  .join('\n')}
  esac
}
complete -o default -F _webcodex wc webcodex
`;
}

function patterns(command: string, { name, char }: { readonly name: string; readonly char: string | null }): string {
  return [name, ...(char === null ? [] : [char])].map((flag) => quoted(`${command} ${flag}`)).join(' | ');
}

function rows(table: readonly CompletableCommand[], value: (command: CompletableCommand) => string, variable: string): string {
  return table.flatMap((command) => (value(command) === '' ? [] : [`    ${quoted(command.name)}) ${variable}=${quoted(value(command))} ;;`])).join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
