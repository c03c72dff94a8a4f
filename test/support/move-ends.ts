import { Readable } from 'node:stream';
import type { Plugin } from '../../kernel/contract/plugin.ts';
import type { MoveLink, Mover } from '../../kernel/contract/points/move-part.ts';
import * as assert from './assert.ts';
import { domainOwner, type DomainOwner } from './domain-owner.ts';
import { TestServer } from './hostkeep.ts';

/** One end of a move in a quick test. */
export interface MoveEnd extends DomainOwner {
  readonly server: TestServer;
  readonly mover: Mover;
}

/** Two nodes with stores of their own, in which an account and its domain have the same ids, for what one plugin moves. */
export class MoveEnds {
  readonly here: MoveEnd;
  readonly there: MoveEnd;
  readonly domainId: number;
  /** What people were told. */
  readonly said: string[] = [];

  private constructor(here: MoveEnd, there: MoveEnd, domainId: number) {
    this.here = here;
    this.there = there;
    this.domainId = domainId;
  }

  static async start(plugins: readonly Plugin[], plugin: string): Promise<MoveEnds> {
    const start = async (): Promise<MoveEnd> => {
      const server = await TestServer.start({ plugins });
      const owner = await domainOwner(server, 'ann');
      const part = (await server.hostkeep.plugins.gather('move')).find((each) => each.plugin === plugin);
      if (part?.ok !== true || part.value.mover === undefined) throw new Error(`${plugin} moves nothing`);
      return { ...owner, server, mover: part.value.mover };
    };
    const [here, there] = [await start(), await start()];
    const idAt = async ({ server }: MoveEnd) =>
      (await server.hostkeep.core.store.get<{ id: number }>('select id from domains'))?.id;
    const domainId = (await idAt(here)) ?? 0;
    assert.equal([await idAt(there), there.account.id], [domainId, here.account.id]);
    return new MoveEnds(here, there, domainId);
  }

  /** Asks the new home, as the old one would. */
  arrive(name: string, body: string): Promise<unknown> {
    const { account, mover } = this.there;
    const { signal } = new AbortController();
    return mover.arrive({ name, account, body: Readable.from([Buffer.from(body)]), signal });
  }

  /** Does all steps of a move, and removes at the old home what has moved. */
  async move(ask: MoveLink['ask'] = ({ name }, body) => this.arrive(name, String(body))): Promise<void> {
    const { account, mover } = this.here;
    const say = (step: string) => void this.said.push(step);
    const leaving = mover.leave(account, { say, signal: new AbortController().signal, ask });
    await leaving.begin();
    await leaving.copy();
    await leaving.close();
    await leaving.assertClosed();
    await leaving.end(true);
    await mover.remove(account, false);
  }
}
