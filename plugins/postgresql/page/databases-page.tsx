import { ManagedDatabases } from '../../pages/kit/databases/index.ts';
import { postgresql } from './engine.ts';

export default function PostgresqlPage() {
  return <ManagedDatabases engine={postgresql} />;
}
