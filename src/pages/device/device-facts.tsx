// The facts that the agent of a device reported, with a search and the age of each value.
import { Fragment, useState } from 'react';
import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconSearch } from '@tabler/icons-react';
import { useOffered } from '#/api/capabilities.ts';
import { factQueries } from '#/api/facts.ts';
import type { Fact } from '#/contract/facts.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Status } from '#/ui/controls/status.tsx';
import { Section } from '#/ui/page/page.tsx';
import { View } from '#/ui/page/view.tsx';
import classes from './device-page.module.css';

/** Fewer facts than this need no search. */
const SEARCHED_FROM = 8;

export function DeviceFacts({ id }: { id: string }) {
  const isKnown = useOffered('facts') === true;
  const facts = useQuery({ ...factQueries.ofDevice(id), enabled: isKnown });
  if (!isKnown) return null;
  return (
    <Section title="Facts">
      <View
        query={facts}
        name="its facts"
        rows={6}
        isEmpty={({ Items, Problems }) => Items.length === 0 && Problems.length === 0}
        empty={<p className="small dim">Its agent has reported no facts yet.</p>}
      >
        {({ Items, ReportedTime, Problems }) => (
          <>
            <p className="small dim">
              Reported <Timestamp text={ReportedTime} />
            </p>
            {Problems.length > 0 && (
              <div className={classes.problem}>
                <StateMark state="Interrupted" label="Some facts are missing" />
                <ul className={classes.problems}>
                  {Problems.map((problem) => (
                    <li key={problem}>
                      <bdi>{problem}</bdi>
                    </li>
                  ))}
                </ul>
              </div>
            )}
            <FactRows facts={Items} />
          </>
        )}
      </View>
    </Section>
  );
}

const isFound = ({ Name, Value }: Fact, words: readonly string[]) => {
  const text = `${Name}=${Value}`.toLowerCase();
  return words.every((word) => text.includes(word));
};

function FactRows({ facts }: { facts: readonly Fact[] }) {
  const [typed, setTyped] = useState('');
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = facts.filter((fact) => isFound(fact, words));
  return (
    <>
      {facts.length >= SEARCHED_FROM && (
        <TextInput
          size="xs"
          aria-label="Search facts"
          placeholder="Name or value"
          leftSection={<IconSearch size={14} stroke={1.6} aria-hidden />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      <Status>{found.length === 0 && facts.length > 0 && <span className="small dim">No fact matches.</span>}</Status>
      <dl className={classes.facts}>
        {found.map(({ Name, Value, Time }) => (
          <Fragment key={Name}>
            <dt>{Name}</dt>
            <dd className={classes.version}>
              <bdi>{Value}</bdi>
              <span className="dim" title="Since when it has this value">
                <Timestamp text={Time} />
              </span>
            </dd>
          </Fragment>
        ))}
      </dl>
    </>
  );
}
