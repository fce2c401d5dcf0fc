import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { removeMembers, setMembers } from '../../../src/client/mcp-clients/config-format.js';
import { tomlConfig } from '../../../src/client/mcp-clients/toml-config.js';

const PATH = ['mcp_servers', 'wc'];
const ENTRY = { command: '/n', args: ['/wc.cjs', 'mcp'], env: { WC_HOME: '/s "x"' }, env_vars: ['SSH_AUTH_SOCK'] };
const TABLE = String.raw`[mcp_servers.wc]
command = "/n"
args = ["/wc.cjs", "mcp"]
env = { WC_HOME = "/s \"x\"" }
env_vars = ["SSH_AUTH_SOCK"]
`;
const set = (text: string): string => setMembers(tomlConfig, text, PATH, ENTRY);
const remove = (text: string): string => removeMembers(tomlConfig, text, PATH);

const OTHERS = '# top\nmodel = "x" # which\n\n[mcp_servers.other] # theirs\ncommand = "y"\n';

describe('a server put into TOML', () => {
  it('is a table of its own at the end, and comes out again without a trace', () => {
    expect(set('')).toBe(TABLE);
    expect(set(OTHERS)).toBe(`${OTHERS}\n${TABLE}`);
    expect(set(OTHERS.trimEnd())).toBe(`${OTHERS}\n${TABLE}`);
    expect(set(set(OTHERS))).toBe(set(OTHERS));
    expect(remove(set(OTHERS))).toBe(OTHERS);
    expect(remove(set(''))).toBe('');
  });

  it('is brought up to date in place: other keys, comments, subtables and what follows stay', () => {
    const text = `[ mcp_servers . "wc" ] # ours
# since May
command = "/old"
args = [
  "/old/wc.cjs", # there
  "mcp",
]
startup_timeout_sec = 20
[mcp_servers.wc.env]
WC_HOME = "/old"
MINE = "1"

# about z
[z]
text = """
[mcp_servers.wc]
"""
`;
    const changed = set(text);
    expect(changed).toBe(`[ mcp_servers . "wc" ] # ours
env_vars = ["SSH_AUTH_SOCK"]
# since May
command = "/n"
args = ["/wc.cjs", "mcp"]
startup_timeout_sec = 20
[mcp_servers.wc.env]
WC_HOME = "/s \\"x\\""
MINE = "1"

# about z
[z]
text = """
[mcp_servers.wc]
"""
`);
    expect(set(changed)).toBe(changed);
    expect(() => remove(changed)).toThrow('can not be changed without touching the rest');
    expect(remove(changed.replace('\n[mcp_servers.wc]\n"""', '"""'))).toBe('# about z\n[z]\ntext = """"""\n');
  });

  it('keeps the line ends of Windows', () => {
    expect(set('a = 1\r\n')).toBe(`a = 1\r\n\r\n${TABLE.replaceAll('\n', '\r\n')}`);
  });

  it.each([
    ['a = ', /no valid TOML: .* at line 1, column \d/],
    ['mcp_servers = { other = { command = "x" } }\n', /can not be changed without touching the rest/],
    ['mcp_servers.wc.command = "/old"\n', /can not be changed without touching the rest/],
  ])('is refused by %s', (text, reason) => {
    expect(() => set(text)).toThrow(reason);
  });

  it('reads what it wrote', () => {
    expect(parse(set(OTHERS))).toEqual({ model: 'x', mcp_servers: { other: { command: 'y' }, wc: ENTRY } });
  });
});
