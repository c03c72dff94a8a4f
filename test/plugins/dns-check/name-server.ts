import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const [IPV4, IPV6] = [1, 28];
const [NO_ERROR, NO_NAME] = [0, 3];

/** A name server on loopback that knows some names, and counts what it is asked. Those that are silent get no answer. */
export class NameServer {
  readonly #socket: Socket;
  readonly addresses = new Map<string, readonly string[]>();
  readonly silent = new Set<string>();
  readonly asked: string[] = [];

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('message', (query, from) => {
      const answer = this.#answer(query);
      if (answer !== undefined) socket.send(answer, from.port, from.address);
    });
  }

  static async start(): Promise<NameServer> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new NameServer(socket);
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  close(): void {
    this.#socket.close();
  }

  /** RFC 1035, section 4: the header, the question as it was asked, and a record for each address. */
  #answer(query: Buffer): Buffer | undefined {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const name = labels.join('.').toLowerCase();
    const type = query.readUInt16BE(at + 1);
    this.asked.push(name);
    if (this.silent.has(name)) return undefined;
    const known = this.addresses.get(name);
    const found = (known ?? []).filter((each) => each.includes(':') === (type === IPV6) && [IPV4, IPV6].includes(type));
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (known === undefined ? NO_NAME : NO_ERROR), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(found.length, 6);
    return Buffer.concat([header, query.subarray(12, at + 5), ...found.map((each) => record(type, each))]);
  }
}

function record(type: number, address: string): Buffer {
  const bytes = type === IPV4 ? Buffer.from(address.split('.').map(Number)) : ipv6(address);
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length]);
  return Buffer.concat([head, bytes]);
}

function ipv6(address: string): Buffer {
  const [before = '', after = ''] = address.split('::');
  const words = (text: string) => text.split(':').filter(Boolean);
  const missing = 8 - words(before).length - words(after).length;
  const all = [...words(before), ...Array.from({ length: missing }, () => '0'), ...words(after)];
  return Buffer.from(all.flatMap((word) => [parseInt(word, 16) >> 8, parseInt(word, 16) & 255]));
}
