// Where a person is signed in.
import { Section } from '#/ui/page/page.tsx';
import { View } from '#/ui/page/view.tsx';
import { SessionTable } from './session-table.tsx';
import { useSessionsOf } from './use-held.ts';

export function PersonSessions({ personId }: { personId: string }) {
  const sessions = useSessionsOf(personId);
  return (
    <Section title="Sessions">
      <View
        query={sessions}
        name="the sessions"
        rows={2}
        isEmpty={({ length }) => length === 0}
        empty={<p className="dim small">Signed in nowhere.</p>}
      >
        {(rows) => <SessionTable name="Sessions of this person" sessions={rows} />}
      </View>
    </Section>
  );
}
