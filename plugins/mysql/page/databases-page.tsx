import { ManagedDatabases } from '../../pages/kit/databases/index.ts';
import { mysql } from './engine.ts';

export default function DatabasesPage() {
  return <ManagedDatabases engine={mysql} />;
}
