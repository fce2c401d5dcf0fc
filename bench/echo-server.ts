import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A bare Node HTTP server that parses a JSON body and sends it back. */
const PROGRAM = `
  const { createServer } = require('node:http');
  createServer((request, answer) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const text = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString('utf8')));
      answer.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
      answer.end(text);
    });
  }).listen(process.argv[1], () => console.log('listening'));
`;

/** Starts the echo in a process of its own, as the daemon is one; resolves once it listens. */
export async function startEchoServer(socketPath: string): Promise<{ readonly stop: () => void }> {
  const child = spawn(process.execPath, ['-e', PROGRAM, socketPath], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return {
    stop: () => {
      child.kill();
    },
  };
}
