import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { removeMembers, setMembers } from '../../../src/client/mcp-clients/config-format.js';
import { jsoncConfig } from '../../../src/client/mcp-clients/jsonc-config.js';

const PATH = ['mcpServers', 'wc'];
const ENTRY = { command: '/n', args: ['/wc.cjs', 'mcp'] };
const set = (text: string): string => setMembers(jsoncConfig, text, PATH, ENTRY);
const remove = (text: string): string => removeMembers(jsoncConfig, text, PATH);

describe('a server put into JSON with comments', () => {
  it('is written as the document is, on one line or on several', () => {
    expect(set('{"a":1}')).toBe('{"a":1, "mcpServers": {"wc":{"command":"/n","args":["/wc.cjs","mcp"]}}}');
    const several = `{
  "mcpServers": {
    "wc": {
      "command": "/n",
      "args": [
        "/wc.cjs",
        "mcp"
      ]
    }
  }
}
`;
    expect([set(''), set('{}\n'), set('{\n}\n')]).toEqual([several, several, several]);
  });

  it('leaves comments where they are, and takes over a trailing comma, the indentation and the line ends', () => {
    const text = '// top\r\n{\r\n\t"mcpServers": { // servers\r\n\t\t"a": {}, // about a\r\n\t\t// the end\r\n\t},\r\n}\r\n';
    expect(set(text)).toBe(
      '// top\r\n{\r\n\t"mcpServers": { // servers\r\n\t\t"a": {}, // about a\r\n\t\t// the end\r\n\t\t"wc": {\r\n\t\t\t"command": "/n",\r\n\t\t\t"args": [\r\n\t\t\t\t"/wc.cjs",\r\n\t\t\t\t"mcp"\r\n\t\t\t]\r\n\t\t},\r\n\t},\r\n}\r\n',
    );
    expect(remove(set(text))).toBe(text);
  });

  it('puts the comma right behind the last value, in front of its comment', () => {
    const text = '{\n  "mcpServers": {\n    "a": {} // about a\n  }\n}\n';
    expect(set(text).split('\n').slice(2, 4)).toEqual(['    "a": {}, // about a', '    "wc": {']);
  });

  it('keeps members of our entry that somebody added, and changes nothing a second time', () => {
    const text = '{ "mcpServers": {\n  "wc": { "command": "/old", "timeout": 5 /* mine */ } } }';
    const changed = set(text);
    expect(parse(changed)).toEqual({ mcpServers: { wc: { command: '/n', timeout: 5, args: ['/wc.cjs', 'mcp'] } } });
    expect(changed).toContain('/* mine */');
    expect(set(changed)).toBe(changed);
  });

  it('keeps a document of comments alone', () => {
    expect(set('// only words\n')).toMatch(/^\/\/ only words\n\{\n {2}"mcpServers": \{\n/);
  });

  it.each([
    ['{ "a": }', /no valid JSON: value expected at line 1, column 8/],
    ['{\n "mcpServers": {', /no valid JSON: close brace expected at line 2, column 17/],
    ['[]', /^Its value is no object/],
    ['{ "mcpServers": [] }', /^"mcpServers" is no object/],
    ['{ "mcpServers": {}, "mcpServers": {} }', /"mcpServers" twice/],
  ])('is refused by %s', (text, reason) => {
    expect(() => set(text)).toThrow(reason);
  });

  it('says afterwards what it said before and the entry, for any document, and gives it back', () => {
    const names = fc.stringMatching(/^[a-z"\\{},/*]{0,5}$/).filter((name) => name !== '__proto__' && name !== 'wc');
    const document = fc.dictionary(names, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
    const indent = fc.constantFrom(undefined, 1, 2, '\t');
    fc.assert(
      fc.property(document, fc.dictionary(names, fc.constant({}), { maxKeys: 3 }), indent, fc.boolean(), (value, servers, space, has) => {
        const before = has ? { ...value, mcpServers: servers } : value;
        if (!has) delete (before as Record<string, unknown>)['mcpServers'];
        const text = JSON.stringify(before, null, space);
        const read = JSON.parse(text) as object;
        const after = set(text);
        expect(JSON.parse(after)).toEqual({ ...read, mcpServers: { ...(has ? servers : {}), wc: { ...ENTRY } } });
        expect(set(after)).toBe(after);
        expect(JSON.parse(remove(after))).toEqual({ ...read, mcpServers: has ? servers : {} });
      }),
      { numRuns: 100 },
    );
  });
});
