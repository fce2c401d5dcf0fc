import { cpSync, mkdirSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FIXTURES = fileURLToPath(new URL('../../../fixtures/repositories/', import.meta.url));

/**
 * What real toolchains need of an environment whose HOME is another one: where they are
 * installed, and caches that are shared by the tests of one machine. Nothing is fetched.
 */
export function toolchainEnvironment(): Readonly<Record<string, string>> {
  const cache = join(process.env['WC_TEST_CACHE'] ?? tmpdir(), `wc-toolchains-${process.getuid?.() ?? 0}`);
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  return {
    RUSTUP_HOME: process.env['RUSTUP_HOME'] ?? join(homedir(), '.rustup'),
    CARGO_HOME: process.env['CARGO_HOME'] ?? join(homedir(), '.cargo'),
    CARGO_NET_OFFLINE: 'true',
    GOCACHE: join(cache, 'go-build'),
    GOPATH: join(cache, 'go'),
    GOFLAGS: '',
    GOPROXY: 'off',
    RUST_BACKTRACE: '0',
  };
}

/** Copies a fixture repository into an empty folder. */
export function copyFixture(name: string, folder: string): void {
  cpSync(join(FIXTURES, name), folder, { recursive: true });
}
