/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chan/lane.h: a lane of one or two lines and twice as many posts, from one or two producers of a
 * process to a consumer, which closes it at any moment. All may sleep, or look again as often as
 * they like. The steps are those of the functions named at the right. Asked: is every message that
 * a producer counts as sent received, once and whole; is the window left alone once the consumer
 * has stopped; and does nobody sleep for ever?
 *
 * -DPRODUCER_CAN=0, -DCONSUMER_CAN=0: that process has no membarrier(). -DPRODUCERS=2: two of them,
 * whose claims a lock orders. -DAWAKE: nobody sleeps, which saves states.
 * -DRUNS: two messages may share a line.
 * -DPATIENT: the consumer is not closed before it has got a message for each post, so that nothing
 * but a post ends a producer's sleep.
 */
#ifndef PRODUCER_CAN
#define PRODUCER_CAN 1
#endif
#ifndef CONSUMER_CAN
#define CONSUMER_CAN 1
#endif
#ifndef PRODUCERS
#define PRODUCERS 1
#endif
#ifndef LINES
#define LINES 1
#endif
#ifndef POSTS
#define POSTS 2 /* until the consumer only waits for the end */
#endif

#define CONSUMER   PRODUCERS /* the processors of producers are 0 and 1 */
#define PROCESSORS (PRODUCERS + 1)
#define CAN(p)	   (((p) == CONSUMER && CONSUMER_CAN) || ((p) != CONSUMER && PRODUCER_CAN))

#define SEQ	      0 /* two lines */
#define WORD	      2
#define WINDOW	      4 /* two buffers */
#define POSTED	      6
#define SLEEPING      7
#define CLOSED	      8
#define WAITING	      9
#define STARTED	      10
#define CLAIMED	      11 /* of struct lane_producer */
#define LOCK	      12
#define CONSUMER_BELL 13
#define POST_BELL     14 /* and that of the second producer: one eventfd, two watches */
#define LINE	      16 /* of struct lane_producer */
#define POST_OFFSET   17 /* two posts for each line */
#ifdef RUNS
#define RUN	      (POST_OFFSET + 2 * LINES) /* in each line, for two messages */
#define VARS	      (RUN + 2 * LINES)
#else
#define RUN	      WINDOW
#define VARS	      (POST_OFFSET + 2 * LINES)
#endif

#define POST(i)	      (100 + (i))
#define MESSAGES(i, n) (200 + 2 * (i) + (n)) /* so many, from message i on */

bool stopped; /* the program has its memory back */
byte sent;    /* that were published */

#define VISIBLE(v) assert(!((v == WINDOW || v == WINDOW + 1) && stopped))

#include "weak.pml"

#ifdef PATIENT
#define MAY_CLOSE (tail == POSTS)
#else
#define MAY_CLOSE true
#endif

#if defined(MUTANT_FENCE_FOR_ONESELF) /* only the one who cannot use membarrier() */
#define MUST_FENCE(p) (!CAN(p))
#elif defined(MUTANT_NO_FENCE)
#define MUST_FENCE(p) false
#else
#define MUST_FENCE(p) (!PRODUCER_CAN || !CONSUMER_CAN)
#endif

#ifdef MUTANT_CLOSE_WITHOUT_BARRIER
#define close_barrier(p) skip
#else
#define close_barrier(p) heavy(p)
#endif

#ifdef MUTANT_SLEEP_WITHOUT_BARRIER
#define sleep_barrier(p) skip
#else
#define sleep_barrier(p) heavy(p)
#endif

#ifdef MUTANT_EARLY_POST
#define publish_posts(x) store(CONSUMER, POSTED, x)
#else
#define publish_posts(x) store_release(CONSUMER, POSTED, x)
#endif

#ifdef MUTANT_LATE_RELEASE
#define note_released(released, tail) skip
#else
#define note_released(released, tail) released = tail
#endif

#ifdef MUTANT_RELEASE_WITHIN_RUN /* the line of a run that is not at its end */
#define may_release (released != line + (taken != 0))
#else
#define may_release (released != line)
#endif

#ifdef MUTANT_CLAIM_ONE
#define claims_of_run 1
#else
#define claims_of_run count
#endif

#ifdef RUNS
#define can_be_run (posted - index >= 2)
#else
#define can_be_run false
#endif

#ifdef MUTANT_SILENT_RETREAT
#define retreat_wakes false
#else
#define retreat_wakes true
#endif

#ifdef MUTANT_IGNORE_CLAIMS
#define all_claims_done (started == tail || true)
#else
#define all_claims_done (started == tail)
#endif

inline fence_if_needed(p)
{
	if
	:: MUST_FENCE(p) -> fence(p)
	:: else
	fi
}

inline wake_consumer(p)                                            /* lane_wake_consumer() */
{
#ifndef AWAKE
	fence_if_needed(p);
	load(p, SLEEPING, found);
	if
	:: found ->
		exchange(p, SLEEPING, 0, found);
		if
		:: found -> ring(p, CONSUMER_BELL)
		:: else
		fi
	:: else
	fi
#else
	skip
#endif
}

inline ring_producers()
{
	exchange(CONSUMER, WAITING, 0, found);
	if
	:: found ->
		ring(CONSUMER, POST_BELL);
#if PRODUCERS == 2
		ring(CONSUMER, POST_BELL + 1)
#endif
	:: else
	fi
}

inline lock(p)
{
	atomic {
		memory[LOCK] == 0 && !waits_for(p, LOCK);
		memory[LOCK] = 1
	}
}

#define unlock(p) store_release(p, LOCK, 0)

active [PRODUCERS] proctype producer()
{
	byte me = _pid - PROCESSORS;
	byte index, line, count, posted, word, found, closed, reached;

	do
	:: lock(me);                                               /* lane_claim_shared() */
		load(me, CLAIMED, index);
		load(me, POSTED, posted);                          /* lane_refresh() */
		load(me, CLOSED, closed);
		if
		:: posted == index && closed -> unlock(me); break
		:: posted == index && !closed -> unlock(me);
			if
			:: true                                    /* looks again */
#ifndef AWAKE
			:: store(me, WAITING, 1);                  /* lane_wait_for_post() */
				sleep_barrier(me);
				load(me, POSTED, posted);          /* lane_has_post() */
				load(me, STARTED, index);
				load(me, CLOSED, closed);
				if
				:: posted == index && !closed -> sleep_until_rung(POST_BELL + me)
				:: else
				fi
#endif
			fi
		:: else ->
			load(me, POST_OFFSET + index % (2 * LINES), word); /* lane_claim_next() */
			assert(word == POST(index));
			count = 1;
			if
			:: can_be_run ->                           /* send_run() */
				load(me, POST_OFFSET + (index + 1) % (2 * LINES), word);
				assert(word == POST(index + 1));
				count = 2
			:: true
			fi;
			load(me, LINE, line);
			if
			:: count == 2 ->                           /* fill_run() */
				store(me, RUN + 2 * (line % LINES), index + 1);
				store(me, RUN + 2 * (line % LINES) + 1, index + 2)
			:: else
			fi;
			store(me, STARTED, index + claims_of_run); /* lane_take() */
			fence_if_needed(me);
			load(me, CLOSED, closed);
			if
			:: closed ->
				store_release(me, STARTED, index);
				if
				:: retreat_wakes -> wake_consumer(me)
				:: else
				fi;
				unlock(me);
				break
			:: else
			fi;
			store(me, CLAIMED, index + count);
			store(me, LINE, line + 1);
			unlock(me);
			if
			:: count == 1 -> store(me, WINDOW + index % LINES, index + 1) /* send_now() */
			:: else
			fi;
			store(me, WORD + line % LINES, MESSAGES(index, count)); /* lane_write() */
			sent = sent + count;
			store_release(me, SEQ + line % LINES, line + 1);
			wake_consumer(me)
		fi
	od
}

active proctype consumer()
{
	byte filled, released, tail, line, taken, seq, word, found, started, reached;
	bool closing;

	do
	:: filled < POSTS && filled - tail < LINES && !closing ->
		store(CONSUMER, POST_OFFSET + filled % (2 * LINES), POST(filled)); /* lane_post_fill() */
		filled++;
		publish_posts(filled);                             /* lane_post_publish() */
		note_released(released, line);
#ifndef AWAKE
		fence_if_needed(CONSUMER);
		load(CONSUMER, WAITING, found);
		if
		:: found -> ring_producers()
		:: else
		fi
#endif
	:: may_release ->                                          /* lane_release_lines() */
		store(CONSUMER, WORD + released % LINES, 0);
		released++
	:: !closing && MAY_CLOSE ->                                /* lane_consumer_close() */
		closing = true;
		store(CONSUMER, CLOSED, 1);
		close_barrier(CONSUMER);
		ring_producers()
	:: true ->
		load(CONSUMER, SEQ + line % LINES, seq);           /* lane_has_next() */
		if
		:: taken || seq == line + 1 ->
			load(CONSUMER, WORD + line % LINES, word);
			found = (word == MESSAGES(tail - taken, 2));
			assert(found || word == MESSAGES(tail, 1));
			if
			:: found -> load(CONSUMER, RUN + 2 * (line % LINES) + taken, word)
			:: else -> load(CONSUMER, WINDOW + tail % LINES, word)
			fi;
			assert(word == tail + 1);
			tail++;                                    /* lane_advance() */
			taken++;
			if
			:: taken > found -> taken = 0; line++
			:: else
			fi
		:: else ->
			load(CONSUMER, STARTED, started);          /* lane_count_claims() */
			assert(!closing || started >= tail);
			if
			:: closing && all_claims_done -> break
			:: else ->
				if
				:: true                            /* looks again */
#ifndef AWAKE
				:: closing || filled == POSTS || filled - tail == LINES ->
					store(CONSUMER, SLEEPING, 1); /* lane_sleep() */
					sleep_barrier(CONSUMER);
					load(CONSUMER, SEQ + line % LINES, seq);
					load(CONSUMER, STARTED, started);
					if
					:: seq == line + 1 || (closing && started == tail)
					:: else ->
						if
						:: sleep_until_rung(CONSUMER_BELL)
						:: !closing && MAY_CLOSE -> skip /* by the program */
						fi
					fi;
					store(CONSUMER, SLEEPING, 0)
#endif
				fi
			fi
		fi
	od;
	stopped = true;
	assert(sent == tail)
}
