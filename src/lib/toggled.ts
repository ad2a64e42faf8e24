// Sets in the state of a component, where a change is another set.

/** The set with a member, or without it; by default the other of the two than now. */
export function toggled<Member>(set: ReadonlySet<Member>, member: Member, isIn = !set.has(member)): Set<Member> {
  const next = new Set(set);
  if (isIn) next.add(member);
  else next.delete(member);
  return next;
}
