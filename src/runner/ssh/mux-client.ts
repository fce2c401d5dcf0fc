import { connect, type Socket } from 'node:net';

/* The few messages of OpenSSH's PROTOCOL.mux that we speak ourselves. */
const MUX_MSG_HELLO = 0x00000001;
const MUX_C_ALIVE_CHECK = 0x10000004;
const MUX_S_ALIVE = 0x80000005;
const MUX_VERSION = 4;
const REQUEST_ID = 0;

/**
 * Asks a ControlMaster whether it lives: what `ssh -O check` does, without a process for
 * it, so that it can be done before every command.
 *
 * @param withinMs a master that is stopped never answers
 * @returns the master's pid, or null
 */
export function masterAlive(controlPath: string, withinMs: number): Promise<number | null> {
  return new Promise((resolve) => {
    const socket = connect(controlPath);
    const settle = (pid: number | null): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(pid);
    };
    const timer = setTimeout(() => settle(null), withinMs);
    socket.once('error', () => settle(null));
    socket.once('close', () => settle(null));
    readPackets(socket, (packet) => {
      const type = packet.readUInt32BE(0);
      if (type === MUX_MSG_HELLO) return;
      settle(type === MUX_S_ALIVE && packet.length >= 12 ? packet.readUInt32BE(8) : null);
    });
    socket.write(Buffer.concat([packetOf(MUX_MSG_HELLO, MUX_VERSION), packetOf(MUX_C_ALIVE_CHECK, REQUEST_ID)]));
  });
}

function packetOf(...words: readonly number[]): Buffer {
  const packet = Buffer.alloc(4 * (words.length + 1));
  packet.writeUInt32BE(4 * words.length, 0);
  words.forEach((word, index) => packet.writeUInt32BE(word, 4 * (index + 1)));
  return packet;
}

/** Calls back with each packet's content of four bytes or more, however the stream is cut. */
function readPackets(socket: Socket, onPacket: (packet: Buffer) => void): void {
  let buffered: Buffer = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    buffered = Buffer.concat([buffered, bytes]);
    while (buffered.length >= 4) {
      const end = 4 + buffered.readUInt32BE(0);
      if (buffered.length < end) return;
      const packet = buffered.subarray(4, end);
      buffered = buffered.subarray(end);
      if (packet.length >= 4) onPacket(packet);
    }
  });
}
