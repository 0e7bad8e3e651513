C     The matrix product as it was written for forty years.
      SUBROUTINE DGEMMF(M, N, ELL, A, B, C)
      IMPLICIT NONE
      INTEGER M, N, ELL
      DOUBLE PRECISION A(M,ELL), B(ELL,N), C(M,N)
      INTEGER I, J, K
      DO 30 J = 1, N
        DO 20 I = 1, M
          DO 10 K = 1, ELL
            C(I,J) = C(I,J)
     &             + A(I,K)*B(K,J)
   10     CONTINUE
   20   CONTINUE
   30 CONTINUE
      END

c$loopy begin
c
c knl = lp.parse_fortran(SOURCE, FILENAME)
c knl = lp.split_iname(knl, "i", 8, outer_tag="g.0", inner_tag="l.0")
c knl = lp.split_iname(knl, "j", 4, outer_tag="g.1", inner_tag="l.1")
c knl = lp.split_iname(knl, "k", 8)
c knl = lp.add_prefetch(knl, "a", "i_inner,k_inner",
c                       default_tag="l.auto")
c RESULT = knl
c
c$loopy end
