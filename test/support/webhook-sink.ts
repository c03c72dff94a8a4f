import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from './ending.ts';

interface DeliveredEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A webhook endpoint that records the delivered events, until the end of the test or suite. */
export class WebhookSink {
  readonly events = new Map<string, DeliveredEvent>();
  /** The id of each event, as often as it was delivered. */
  readonly deliveries: string[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<WebhookSink> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          const event = JSON.parse(Buffer.concat(chunks).toString('utf8')) as DeliveredEvent;
          sink.events.set(event.id, event);
          sink.deliveries.push(event.id);
          response.end();
        });
    });
    const sink = new WebhookSink(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    atEnd(() => sink.close());
    return sink;
  }

  /** Settings that make the plugin `webhooks` deliver to this endpoint. */
  get settings(): Record<string, unknown> {
    return { endpoints: this.endpoints, allow_private: true, backoff_ms: 10 };
  }

  get endpoints(): readonly { readonly url: string; readonly secret: string }[] {
    return [{ url: `http://${this.host}/`, secret: `whsec_${'A'.repeat(32)}` }];
  }

  /** Host and port. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
