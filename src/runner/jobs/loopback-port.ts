import { connect } from 'node:net';

const LOOPBACK = ['127.0.0.1', '::1'];
const CONNECT_WITHIN_MS = 500;

/** Whether something accepts connections on a port of the loopback device, of either family. */
export async function isListening(port: number): Promise<boolean> {
  const answers = await Promise.all(LOOPBACK.map((host) => accepts(host, port)));
  return answers.includes(true);
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const settle = (accepted: boolean): void => {
      socket.destroy();
      resolve(accepted);
    };
    socket.setTimeout(CONNECT_WITHIN_MS, () => settle(false));
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}
