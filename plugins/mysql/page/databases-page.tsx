import { Parts } from '../../pages/kit/index.ts';
import { ManagedDatabases } from '../../pages/kit/databases/index.ts';
import { mysql } from './engine.ts';

export default function DatabasesPage() {
  return (
    <div class="stack">
      <div>
        <ManagedDatabases engine={mysql} />
      </div>
      <Parts of="/databases" />
    </div>
  );
}
