import { Agent, request } from 'node:http';

/** A keep-alive HTTP client on one Unix socket: the same for the daemon and for its baseline. */
export interface UnixHttp {
  readonly post: (path: string, body: unknown) => Promise<unknown>;
  readonly close: () => void;
}

/** Opens the client; each `post` resolves with the parsed JSON answer of a 200. */
export function unixHttp(socketPath: string, headers: Readonly<Record<string, string>> = {}): UnixHttp {
  const agent = new Agent({ keepAlive: true });
  return {
    post: (path, body) =>
      new Promise((resolve, reject) => {
        const text = JSON.stringify(body);
        const sent = request(
          {
            socketPath,
            path,
            method: 'POST',
            agent,
            headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
          },
          (answer) => {
            const chunks: Buffer[] = [];
            answer.on('data', (chunk: Buffer) => chunks.push(chunk));
            answer.on('error', reject);
            answer.on('end', () => {
              const received = Buffer.concat(chunks).toString('utf8');
              if (answer.statusCode === 200) resolve(JSON.parse(received));
              else reject(new Error(`${path} answered ${String(answer.statusCode)}: ${received}`));
            });
          },
        );
        sent.on('error', reject);
        sent.end(text);
      }),
    close: () => {
      agent.destroy();
    },
  };
}
