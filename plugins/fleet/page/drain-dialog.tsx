import { api, attempt, changed, Dialog, Panel, sendRemoval, t, toast } from '../../pages/kit/index.ts';
import type { Node } from './samples.ts';

interface DrainProps {
  readonly node: Node;
  readonly nodes: readonly Node[];
  readonly onClose: () => void;
}

/** Says what draining does, and what it leaves, before a node is given no new accounts. */
export function DrainDialog({ node: { name }, nodes, onClose }: DrainProps) {
  const isLast = nodes.every((each) => each.name === name || each.draining || each.state === 'down');
  const drain = async () => {
    await api('PUT /api/fleet/:name/drain', { params: { name } });
    toast(t('fleet.wasDrained', { name }), () => takeBack(name));
    changed();
    onClose();
  };
  return (
    <Dialog
      title={t('fleet.drainOne', { name })}
      onClose={onClose}
      onSubmit={drain}
      submit={{ text: t('fleet.drain') }}
    >
      <p>{t('fleet.drainAbout')}</p>
      {isLast && <Panel kind="warn" icon="warn" title={t('fleet.drainLast')} />}
    </Dialog>
  );
}

/** Gives a node new accounts again, at once: nothing is lost by it. */
export function undrain(name: string): Promise<void> {
  return attempt(async () => {
    await takeBack(name);
    toast(t('fleet.wasUndrained', { name }));
  });
}

async function takeBack(name: string): Promise<void> {
  await sendRemoval('DELETE /api/fleet/:name/drain', { params: { name } });
  changed();
}
