import type { ComponentChildren } from 'preact';
import { bytes, Card, number, t, type ReplyOf } from '../../pages/kit/index.ts';

type NodeSums = ReplyOf<'GET /api/php-pools'>['sums'];

/** The sums of all pools of the node. */
export function Sums({ of: sums }: { readonly of: NodeSums }) {
  const broken = sums.failed + sums.missing;
  return (
    <div class="tiles">
      <Tile title={t('php-pools.memory')} value={bytes(sums.memory_bytes)}>
        {t('php-pools.processes', { n: sums.processes })}
      </Tile>
      <Tile title={t('php-pools.atWork')} value={number(sums.active)}>
        {t('php-pools.ofProcesses', { n: sums.processes })}
      </Tile>
      <Tile title={t('php-pools.is.running')} value={number(sums.running)}>
        {t('php-pools.ofPools', { n: sums.pools })}
      </Tile>
      <Tile title={t('php-pools.is.asleep')} value={number(sums.asleep)}>
        {broken === 0 ? t('php-pools.noneFailed') : <strong>{t('php-pools.failed', { n: broken })}</strong>}
      </Tile>
    </div>
  );
}

interface TileProps {
  readonly title: string;
  readonly value: string;
  readonly children: ComponentChildren;
}

const Tile = ({ title, value, children }: TileProps) => (
  <Card>
    <div class="tile">
      <span class="soft">{title}</span>
      <span class="value">{value}</span>
      <span class="small soft">{children}</span>
    </div>
  </Card>
);
